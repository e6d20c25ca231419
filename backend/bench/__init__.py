"""Measurements that anyone can repeat: waypool bench."""

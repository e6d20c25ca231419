"""The one database: PostgreSQL, embedded or given, behind SQLAlchemy."""

"""Who may ask for what: keys, tenants, scopes."""

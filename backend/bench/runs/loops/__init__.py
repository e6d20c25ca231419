"""The same conversation by other means: a bare loop over the SDK, and frameworks (extra `bench`)."""

"""A language-model service that misbehaves on order: `waypool mock-llm`, and the tests' other end."""

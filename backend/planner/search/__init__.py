"""Which places go on which day in which order: arrange, its rating and its moves."""

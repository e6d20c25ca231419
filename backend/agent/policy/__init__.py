"""The built-in planner's policy: what to call next, as a pure function of the conversation."""

"""The commands of GameForge: a module for each verb (`new-plugin` is in `plugins`), imported when it is called."""

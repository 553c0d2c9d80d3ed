"""Discovery of plugins, the registry of their components, and templates for new plugins."""

"""Plugins: how they are discovered, looked up by name, and begun from a template."""

"""Plugins: discovery, the registry of components, and templates for new plugins."""

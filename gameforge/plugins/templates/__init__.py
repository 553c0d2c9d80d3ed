"""Texts of new plugins (gameforge.plugins.scaffold): what stands in `plugin/` for every kind, what in `KIND/` for one.

`$name`, `$package`, `$component` (the class), `$kind` and `$distribution` are filled in, in the names of files, too.
"""

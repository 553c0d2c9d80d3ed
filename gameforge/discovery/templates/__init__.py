"""Templates of new plugins (gameforge.discovery.scaffold): the files in `plugin/` are for components of every kind,
those in the other folders for one kind.

`$name`, `$package`, `$component` (the class), `$kind` and `$distribution` are substituted; `package` in the name of a
file stands for the name of the new package.
"""

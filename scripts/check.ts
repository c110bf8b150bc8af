// What `npm run check` runs: all checks, also those after one that fails, so that a wrong format hides no wrong type.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from './built.js'

/** Each check, and the command that mends what it finds, if one does. */
const checks = [
  { command: ['oxfmt', '--check', '.'], mend: 'npm run format' },
  { command: ['oxlint', '--type-aware'], mend: undefined },
  { command: ['tsc', '-p', '.', ...process.argv.slice(2)], mend: undefined },
  { command: [process.execPath, join('scripts', 'lint-migrations.ts')], mend: undefined },
]

const path = `${join(root, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`
const failed = checks.filter(({ command: [program = '', ...args] }) => {
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: path },
  })
  return status !== 0
})
for (const { command, mend } of failed) {
  const name = command.filter((word) => word !== process.execPath).join(' ')
  console.error(`Failed: ${name}.${mend === undefined ? '' : ` Run ${mend}.`}`)
}
if (failed.length > 0) process.exitCode = 1

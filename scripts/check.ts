// What `npm run check` runs: all checks, beside each other, also those after one that fails, so that a wrong format hides
// no wrong type. Each shows its findings when it ends.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from './built.js'

/** Each check, and the command that mends what it finds, if one does. */
const checks = [
  { command: ['tsc', '-p', '.', ...process.argv.slice(2)], mend: undefined },
  { command: ['tsc', '-p', 'tsconfig.islands.json'], mend: undefined },
  { command: ['oxlint', '--type-aware'], mend: undefined },
  { command: ['oxfmt', '--check', '.'], mend: 'npm run format' },
  { command: [process.execPath, join('scripts', 'lint-migrations.ts')], mend: undefined },
]

const path = `${join(root, 'node_modules', '.bin')}:${process.env['PATH'] ?? ''}`

/** Runs a check. @returns what it said, how long it took, and whether all is well. */
async function run([program = '', ...args]: readonly string[]) {
  const begun = performance.now()
  const child = spawn(program, args, { cwd: root, env: { ...process.env, PATH: path } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const { promise, resolve } = Promise.withResolvers<boolean>()
  child.once('error', (error) => {
    output += String(error)
    resolve(false)
  })
  child.once('close', (code) => resolve(code === 0))
  const passed = await promise
  return { output, passed, seconds: ((performance.now() - begun) / 1000).toFixed(1) }
}

await Promise.all(
  checks.map(async ({ command, mend }) => {
    const { output, passed, seconds } = await run(command)
    const name = command.filter((word) => word !== process.execPath).join(' ')
    if (output !== '') console.log(output.trimEnd())
    console.log(`${passed ? 'Passed' : 'Failed'}: ${name} (${seconds} s).`)
    if (passed) return
    process.exitCode = 1
    if (mend !== undefined) console.log(`Run ${mend}.`)
  }),
)

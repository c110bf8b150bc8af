import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '#test/until.ts'
import { MARK, killMarked } from './leftovers.ts'
import { runScript } from './run-script.ts'
import { scriptOf } from './script.ts'
import { temporaryFolder } from './test-support.ts'

const { PATH = '' } = process.env

async function run(lines: readonly string[], signal = new AbortController().signal, more: object = {}) {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'script')
  await writeFile(file, scriptOf(lines))
  const pieces: Buffer[] = []
  const code = await runScript({
    file,
    folder: folder.path,
    environment: { PATH, ...more },
    signal,
    write: async (piece) => void pieces.push(piece),
  })
  return { code, log: Buffer.concat(pieces).toString() }
}

const shown = (line: string) => `\u001b[32;1m$ ${line}\u001b[0;m\n`

test('lines are shown, run in one shell, and write into one log in their order', async () => {
  const { code, log } = await run(['A=1', 'echo "A is $A"', 'echo wrong >&2', `echo 'it''s'`])
  expect([code, log]).toEqual([
    0,
    `${shown('A=1')}${shown('echo "A is $A"')}A is 1\n${shown('echo wrong >&2')}wrong\n${shown(`echo 'it''s'`)}its\n`,
  ])
})

test.each<[string[], number]>([
  [['false', 'echo no'], 1],
  [['exit 42', 'echo no'], 42],
  [['(exit 3) | cat', 'echo no'], 3],
  [['if true; then', 'echo no'], 2],
  [['kill -SEGV $$', 'echo no'], 139],
])('the first line that fails ends the script: %j', async (lines, expected) => {
  const { code, log } = await run(lines)
  expect(code).toBe(expected)
  expect(log).not.toContain('\nno')
})

test('of several lines in one, the first is shown', async () => {
  const { log } = await run(['echo one\necho two'])
  expect(log).toBe(`${shown('echo one # and 1 more line')}one\ntwo\n`)
})

test('what a line shows cannot run', async () => {
  const { code, log } = await run([`echo '$(exit 9)' "'" \\''; exit 7'`])
  expect(code).toBe(0)
  expect(log).toContain(`$(exit 9) ' '; exit 7\n`)
})

test('a script that shall end ends with all that it started, within seconds', async () => {
  await using folder = await temporaryFolder()
  const controller = new AbortController()
  const pids = join(folder.path, 'pids')
  const running = run(
    [`trap '' TERM; sleep 600 & echo $! > ${pids}; echo $$ >> ${pids}; wait`],
    controller.signal,
  )
  const started = await until(async () => {
    const found = (await readFile(pids, 'utf8')).trim().split('\n').map(Number)
    expect(found).toHaveLength(2)
    return found
  })
  const since = performance.now()
  controller.abort(new Error('canceled'))
  await expect(running).rejects.toThrow('canceled')
  expect(performance.now() - since).toBeLessThan(5_000)
  for (const pid of started) await until(async () => expect(isAlive(pid)).toBe(false))
})

test('what a script left in the background does not hold the job up, nor outlive it', async () => {
  const mark = `test:${process.pid}`
  const { code, log } = await run(['setsid sleep 600 & echo $!', 'sleep 601 & true'], undefined, {
    [MARK]: mark,
  })
  expect(code).toBe(0)
  const pid = Number(/^(\d+)$/m.exec(log)?.[1])
  await killMarked(mark)
  await until(async () => expect(isAlive(pid)).toBe(false))
})

/** A process that has ended and that nobody has asked about counts as ended. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

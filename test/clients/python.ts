import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'

/** Debian's python3-gitlab belongs to the system's own Python. */
const PYTHON = '/usr/bin/python3'
const FIND = 'import importlib.util, sys; sys.exit(importlib.util.find_spec("gitlab") is None)'

/** Whether there is python-gitlab to test with. */
export const hasPythonGitlab = spawnSync(PYTHON, ['-c', FIND]).status === 0
if (!hasPythonGitlab) console.log("skipped: Debian's python3-gitlab is not installed")

/** One interpreter for each worker, which its files share. */
let running: ReturnType<typeof start> | undefined

function start() {
  const child = spawn(PYTHON, [join(import.meta.dirname, 'run.py')], { stdio: ['pipe', 'pipe', 'inherit'] })
  // It ends when this process does, with its input.
  child.unref()
  const lines = createInterface(child.stdout)
  const ended = once(child, 'exit').then(([code, signal]) => {
    running = undefined
    throw new Error(`Python ended with ${String(code ?? signal)}`)
  })
  ended.catch(() => {})
  return {
    kill: () => child.kill('SIGKILL'),
    /** Has one script run. @returns what became of it. */
    async ask(words: readonly string[]): Promise<unknown> {
      child.stdin.write(`${JSON.stringify(words)}\n`)
      const [line] = await Promise.race([once(lines, 'line'), ended])
      return JSON.parse(String(line))
    },
  }
}

/** Runs a script of this folder, and expects that all it claims of python-gitlab held. */
export async function expectHeld(script: string, ...args: readonly (string | number)[]): Promise<void> {
  const python = (running ??= start())
  let answered = false
  // The next script gets another interpreter when this one comes to no end.
  onTestFinished(() => {
    if (answered) return
    running = undefined
    python.kill()
  })
  const answer = await python.ask([join(import.meta.dirname, script), ...args.map(String)])
  answered = true
  expect(answer).toEqual({ output: 'held\n', failure: null })
}

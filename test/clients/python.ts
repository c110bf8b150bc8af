import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'

/** Debian's python3-gitlab belongs to the system's own Python. */
const PYTHON = '/usr/bin/python3'
const FIND = 'import importlib.util, sys; sys.exit(importlib.util.find_spec("gitlab") is None)'

/** Whether there is python-gitlab to test with. */
export const hasPythonGitlab = spawnSync(PYTHON, ['-c', FIND]).status === 0
if (!hasPythonGitlab) console.log("skipped: Debian's python3-gitlab is not installed")

interface Interpreter {
  readonly process: ChildProcess
  readonly answers: Interface
}

/** One for each worker, which its files share. */
let running: Interpreter | undefined

function start(): Interpreter {
  const child = spawn(PYTHON, [join(import.meta.dirname, 'run.py')], { stdio: ['pipe', 'pipe', 'inherit'] })
  // It ends when this process does, with its input.
  child.unref()
  return { process: child, answers: createInterface(child.stdout) }
}

/** Runs a script of this folder, and expects that all it claims of python-gitlab held. */
export async function expectHeld(script: string, ...args: readonly (string | number)[]): Promise<void> {
  const { process: child, answers } = (running ??= start())
  let answered = false
  // The next script gets another interpreter when this one does not come to an end.
  onTestFinished(() => {
    if (answered) return
    child.kill('SIGKILL')
    running = undefined
  })
  const answer = once(answers, 'line')
  child.stdin?.write(`${JSON.stringify([join(import.meta.dirname, script), ...args.map(String)])}\n`)
  const [line] = await Promise.race([
    answer,
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`Python ended with ${String(code)}`))),
  ])
  answered = true
  expect(JSON.parse(line)).toEqual({ output: 'held\n', failure: null })
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { plainEnvironment } from '#test/environment.ts'

/** As `npm start` does it: the built program, which loads in a third of the time. */
const MAIN = join(import.meta.dirname, '../../scripts/start.js')

/** A folder for one test, which PostgreSQL's account may pass through. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'forgelet-program-'))
  chmodSync(path, 0o711)
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }))
  return path
}

export interface Program {
  readonly process: ChildProcess
  readonly out: () => string
  readonly err: () => string
  /** Waits until the output holds this. @returns the first group. */
  saying(pattern: RegExp): Promise<string>
  /** The exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>
}

/** Runs `forgelet` in a process of its own, which ends with the test at the latest. */
export function forgelet(
  args: readonly string[],
  environment: NodeJS.Dict<string> = {},
  main = MAIN,
  cwd = process.cwd(),
): Program {
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...plainEnvironment(), FORGELET_PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const saying = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(out)
      if (found) return found[1] ?? ''
      const over = await Promise.race([once(child.stdout, 'data').then(() => false), ended.then(() => true)])
      if (over && !pattern.test(out))
        throw new Error(`forgelet ended without saying ${pattern.source}:\n${out}${err}`)
    }
  }
  return { process: child, out: () => out, err: () => err, saying, ended }
}

export const READY = /ready on (http:\S+) in \d+ ms/

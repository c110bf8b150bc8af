import { spawn } from 'node:child_process'
import type { Account } from './account.ts'
import { cleanEnvironment } from './settings.ts'

/** Runs a program to its end, and returns how it ended and what it said on standard error. */
export type RunProgram = (file: string, args: string[]) => Promise<{ code: number; output: string }>

interface Options {
  readonly account: Account
  readonly env: Record<string, string>
  readonly signal: AbortSignal
  /** Receives the running process, so that the watchdog can end it. */
  readonly onProcess: (pid: number | undefined) => void
}

/** Makes a function that runs programs under an account. It rejects when one cannot be started. */
export function programsOf({ account, env, signal, onProcess }: Options): RunProgram {
  return async (file, args) => {
    signal.throwIfAborted()
    const command = account.command(file, args)
    const child = spawn(command.file, command.args, {
      ...command.options,
      cwd: '/',
      env: cleanEnvironment(env),
      detached: true, // Ctrl-C in the terminal is for us
      stdio: ['ignore', 'ignore', 'pipe'],
      signal,
    })
    onProcess(child.pid)
    let output = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-4000)))
    try {
      const code = await new Promise<number>((resolve, reject) => {
        let failure: Error | undefined
        child.once('error', (error) => {
          failure = error
          if (child.pid === undefined) reject(error)
        })
        child.once('close', (status) => (failure === undefined ? resolve(status ?? 1) : reject(failure)))
      })
      return { code, output }
    } finally {
      onProcess(undefined)
    }
  }
}

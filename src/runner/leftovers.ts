import { readdir, readFile } from 'node:fs/promises'

/** The variable by which the processes of a job are known, also those that left its process group. */
export const MARK = 'FORGELET_RUNNER_JOB'

/** Ends all processes whose environment has this mark, or one that begins with it and a colon. */
export async function killMarked(mark: string): Promise<void> {
  const wanted = `${MARK}=${mark}`
  const isMarked = (variable: string) => variable === wanted || variable.startsWith(`${wanted}:`)
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  for (const pid of pids) {
    if (pid === process.pid || !(await environmentOf(pid)).some(isMarked)) continue
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended in this moment.
    }
  }
}

/** Empty for processes of others, and for those that have ended. */
async function environmentOf(pid: number): Promise<readonly string[]> {
  try {
    return (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0')
  } catch {
    return []
  }
}

import { expect } from 'vitest'

/** Milliseconds in which work has to be quick once. Other tests may keep all cores busy for some seconds. */
const PATIENCE = 15_000

/**
 * Shows that some work takes less than so many milliseconds on a quiet machine. Others use this one, too: it is done again until it
 * was once as quick as it can be.
 * @returns how long that took
 */
export async function expectQuick(work: () => Promise<unknown>, most: number): Promise<number> {
  let fastest = Infinity
  await expect
    .poll(
      async () => {
        const start = performance.now()
        await work()
        const took = performance.now() - start
        fastest = Math.min(fastest, took < most ? took : took / slowness())
        return fastest
      },
      { timeout: PATIENCE },
    )
    .toBeLessThan(most)
  return fastest
}

/** Milliseconds that `measure` takes of one core on a quiet machine. */
const ON_A_QUIET_MACHINE = 30

/**
 * Milliseconds for which some work kept the cores busy in this process, as they would be on a quiet machine: a busy one
 * takes longer for everything, so the same time is measured of work that is known, before and after.
 */
export async function cpuTime(work: () => unknown): Promise<number> {
  const before = slowness()
  const start = process.cpuUsage()
  await work()
  return spentSince(process.cpuUsage(start)) / Math.max(before, slowness())
}

/** The same of the longest piece of some work during which nothing else got its turn. */
export async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  const before = slowness()
  let longest = 0
  let last = process.threadCpuUsage()
  const watch = setInterval(() => {
    longest = Math.max(longest, spentSince(process.threadCpuUsage(last)))
    last = process.threadCpuUsage()
  }, 5)
  try {
    await work()
  } finally {
    clearInterval(watch)
  }
  return longest / Math.max(before, slowness())
}

/** How many times as long as a quiet machine this one takes at the moment: at least 1. */
function slowness(): number {
  const start = process.threadCpuUsage()
  const rows = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    name: `name ${id}`,
    text: 'x'.repeat(id % 50),
  }))
  const text = JSON.stringify(rows)
  expect(JSON.parse(text)).toHaveLength(rows.length)
  expect(text.split(',').filter((part) => part.includes('name'))).toHaveLength(rows.length)
  return Math.max(1, spentSince(process.threadCpuUsage(start)) / ON_A_QUIET_MACHINE)
}

const spentSince = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1_000

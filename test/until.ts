import { vi } from 'vitest'
import { PATIENCE } from './patience.ts'

/** Waits until a check throws no more. @returns what it returned then */
export const until = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: PATIENCE, interval: 20 })

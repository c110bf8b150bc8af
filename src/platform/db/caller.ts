import { AsyncLocalStorage } from 'node:async_hooks'

/** For whom statements are sent: the person or the address that a request comes from. */
export type Caller = () => string

const current = new AsyncLocalStorage<Caller>()

/** Runs `work`, and all that it starts, for a caller. */
export function onBehalfOf<T>(caller: Caller, work: () => T): T {
  return current.run(caller, work)
}

/** The caller for whom this code runs; undefined outside of requests. */
export const currentCaller = (): string | undefined => current.getStore()?.()

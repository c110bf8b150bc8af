import { AsyncLocalStorage } from 'node:async_hooks'
import { WorkBudget } from './work-budget.ts'

/** For whom work is done: the person or the address that a request comes from. */
export type Caller = () => string

/** What belongs to one request, wherever its code runs. */
interface Request {
  readonly caller: Caller
  readonly budget: WorkBudget
}

const current = new AsyncLocalStorage<Request>()

/** What the names of anonymous callers begin with. What follows is their network. */
const ADDRESS = 'address '

export const anonymousAt = (network: string): string => ADDRESS + network
export const isAnonymous = (caller: string): boolean => caller.startsWith(ADDRESS)

/** Runs `work`, and all that it starts, for a caller, and with a budget of its own. */
export function onBehalfOf<T>(caller: Caller, work: () => T, budget = new WorkBudget()): T {
  return current.run({ caller, budget }, work)
}

/** Runs `work` for no caller, such as what a request only sets off: it takes nothing of the caller's share or budget. */
export const onBehalfOfNobody = <T>(work: () => T): T => current.exit(work)

/** The caller for whom this code runs; undefined outside of requests. */
export const currentCaller = (): string | undefined => current.getStore()?.caller()

/** What is left for the request for which this code runs; undefined outside of requests. */
export const currentBudget = (): WorkBudget | undefined => current.getStore()?.budget

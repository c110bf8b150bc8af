import { AsyncLocalStorage } from 'node:async_hooks'

interface OpenTransaction {
  open: boolean
}

const current = new AsyncLocalStorage<OpenTransaction>()

/** Runs `work` as the inside of a transaction. Until it ends, {@link assertOutsideTransaction} throws in it. */
export async function asTransaction<T>(work: () => Promise<T>): Promise<T> {
  const transaction = { open: true }
  try {
    return await current.run(transaction, work)
  } finally {
    transaction.open = false
  }
}

/**
 * For everything that a transaction must not wait for: another connection, a limit in Redis, a file, a process. The
 * transaction would hold its locks meanwhile, and with all connections in such transactions everything would stop.
 * @param what names it in the error, as the subject of a sentence.
 * @throws inside a transaction; that is a defect of the program.
 */
export function assertOutsideTransaction(what: string): void {
  if (current.getStore()?.open) throw new Error(`${what} must not be waited for inside a transaction`)
}

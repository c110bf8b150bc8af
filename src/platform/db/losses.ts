import type pg from 'pg'

const losses = new WeakMap<object, Error>()

/** Remembers why PostgreSQL ended a session between two statements. */
export function rememberLoss(client: pg.PoolClient): void {
  // The first error is the reason, those after it only say that the connection is gone.
  client.on('error', (error) => void (losses.has(client) || losses.set(client, error)))
}

/** Why a session ended: the next statement is told only that it cannot be sent. */
export const lossOf = (client: pg.PoolClient): Error | undefined => losses.get(client)

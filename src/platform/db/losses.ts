import type pg from 'pg'

const losses = new WeakMap<object, Error>()

/** Remembers why PostgreSQL ended a session between two statements. */
export function rememberLoss(client: pg.PoolClient): void {
  // The first error is the reason. Later ones only say that the connection is gone.
  client.on('error', (error) => void (losses.has(client) || losses.set(client, error)))
}

/** Why a session ended. The next statement only reports that it cannot be sent. */
export const lossOf = (client: pg.PoolClient): Error | undefined => losses.get(client)

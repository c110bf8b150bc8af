import { Client } from 'pg'
import { DATABASE, PORT, USER } from './settings.ts'

/** Makes the database `forgelet` where it does not exist. */
export async function ensureDatabase(socketFolder: string): Promise<void> {
  const client = new Client({
    host: socketFolder,
    port: PORT,
    user: USER,
    database: 'postgres',
    ssl: false,
  })
  client.on('error', () => {}) // a lost connection also rejects the statement under way
  await client.connect()
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE])
    if (found.rows.length === 0) await client.query(`CREATE DATABASE ${DATABASE}`)
  } finally {
    await client.end()
  }
}

import { pathToFileURL } from 'node:url'
import { migrate } from '#platform/db/migrate.ts'
import { type DatabaseAddress, openPool } from '#platform/db/pool.ts'

// As a program: applies the migrations of a folder, so that a test may kill it.

const pool = openPool(JSON.parse(process.env['TEST_DATABASE'] ?? '') as DatabaseAddress, 2)
await migrate(pool, { folder: pathToFileURL(process.env['TEST_MIGRATIONS'] ?? '') })
await pool.end()

import { migrate } from '#db/migrate.ts'
import { openPool } from '#db/pool.ts'
const url = process.env['DATABASE_URL'] ?? ''
const pool = openPool({ connectionString: url }, 1)
console.log(await migrate(pool))
await pool.end()

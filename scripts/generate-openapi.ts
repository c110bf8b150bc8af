// Writes openapi.json from the routes of the server; with --verify only says whether it is up to date.
import { readFile, writeFile } from 'node:fs/promises'
import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { openDb, openPool } from '#platform/db/pool.ts'
import { Metrics } from '#administration/instance/metrics.ts'
import { asText, describeApi } from '#platform/openapi/document.ts'
import { buildApp } from '../src/app.ts'
import type { Services } from '../src/services.ts'
import packageJson from '../package.json' with { type: 'json' }

const file = new URL('../openapi.json', import.meta.url)
// Routes are declared without a single statement: this pool never connects.
const services = {
  config: readConfig({}),
  db: openDb(openPool({ connectionString: '' }, 1)),
  metrics: new Metrics(),
}
const app = await buildApp(services as unknown as Services, pino({ level: 'silent' }))
const text = asText(describeApi(app.declaredRoutes, packageJson.version))

if (!process.argv.includes('--verify')) {
  await writeFile(file, text)
} else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
  console.error('openapi.json is out of date: run `npm run openapi` and commit what it writes.')
  process.exitCode = 1
}

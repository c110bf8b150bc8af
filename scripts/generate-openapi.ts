// Writes openapi.json and the pages about what works and about settings from what the server declares; with --verify only
// says whether they are up to date.
import { readFile, writeFile } from 'node:fs/promises'
import { pino } from 'pino'
import { readConfig } from '#platform/config/config.ts'
import { openDb, openPool } from '#platform/db/pool.ts'
import { Metrics } from '#administration/instance/metrics.ts'
import { asText, describeApi } from '#platform/openapi/document.ts'
import { buildApp } from '../src/app.ts'
import type { Services } from '../src/services.ts'
import { settingsPage } from './settings-page.ts'
import { whatWorks } from './what-works.ts'
import packageJson from '../package.json' with { type: 'json' }

// Routes are declared without a single statement: this pool never connects.
const services = {
  config: readConfig({}),
  db: openDb(openPool({ connectionString: '' }, 1)),
  metrics: new Metrics(),
}
const app = await buildApp(services as unknown as Services, pino({ level: 'silent' }))
const description = describeApi(app.declaredRoutes, packageJson.version)
const made = {
  'openapi.json': asText(description),
  'docs/what-works.md': whatWorks(description),
  'docs/settings.md': settingsPage(),
}

for (const [path, text] of Object.entries(made)) {
  const file = new URL(`../${path}`, import.meta.url)
  if (!process.argv.includes('--verify')) await writeFile(file, text)
  else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    console.error(`${path} is out of date: run \`npm run openapi\` and commit what it writes.`)
    process.exitCode = 1
  }
}

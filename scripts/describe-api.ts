// Describes the API that the sources have, for openapi.json and for what the build serves.
import { pino } from 'pino'
import { Metrics } from '#administration/instance/metrics.ts'
import { readConfig } from '#platform/config/config.ts'
import { openDb, openPool } from '#platform/db/pool.ts'
import { asText, describeApi } from '#platform/openapi/document.ts'
import { packageVersion } from '#platform/package.ts'
import { buildApp } from '../src/app.ts'
import type { Services } from '../src/services.ts'

/** @returns the OpenAPI document as a text. */
export async function apiAsText(): Promise<string> {
  // Routes are declared without a single statement: this pool never connects.
  const services = {
    config: readConfig({}),
    db: openDb(openPool({ connectionString: '' }, 1)),
    metrics: new Metrics(),
  }
  const app = await buildApp(services as unknown as Services, pino({ level: 'silent' }))
  return asText(describeApi(app.declaredRoutes, packageVersion()))
}

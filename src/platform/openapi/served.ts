import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { packageVersion } from '#platform/package.ts'
import { asText, describeApi, type OpenApi } from './document.ts'

type Described = Pick<FastifyInstance, 'declaredRoutes'>

/** What the build made of its routes. Where the sources run, there is none. */
const built = join(import.meta.dirname, 'openapi.json')

const texts = new WeakMap<Described['declaredRoutes'], string>()

/** The description of the API that this program has, read or made on first use. */
export function documentText({ declaredRoutes }: Described): string {
  const text = texts.get(declaredRoutes) ?? read(declaredRoutes)
  texts.set(declaredRoutes, text)
  return text
}

const read = (routes: Described['declaredRoutes']): string =>
  existsSync(built) ? readFileSync(built, 'utf8') : asText(describeApi(routes, packageVersion()))

/** The same, parsed. */
export function readDocument(app: Described): OpenApi {
  const document: OpenApi = JSON.parse(documentText(app))
  return document
}

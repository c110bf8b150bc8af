import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { OpenApi } from './document.ts'

const require = createRequire(import.meta.url)

/** Where the document lies: named by package.json, so that it is found from the sources and from a package. */
export const documentFile = require.resolve('#openapi.json')

let text: string | undefined

/** The checked-in document, read when it is first asked for. */
export function documentText(): string {
  return (text ??= readFileSync(documentFile, 'utf8'))
}

export function readDocument(): OpenApi {
  const document: OpenApi = JSON.parse(documentText())
  return document
}

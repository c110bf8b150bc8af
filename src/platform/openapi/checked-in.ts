import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { OpenApi } from './document.ts'

const require = createRequire(import.meta.url)

/** The path of the document. package.json names it, so that it is found from the sources and from a package. */
export const documentFile = require.resolve('#openapi.json')

let text: string | undefined

/** The checked-in document, read on first use. */
export function documentText(): string {
  return (text ??= readFileSync(documentFile, 'utf8'))
}

export function readDocument(): OpenApi {
  const document: OpenApi = JSON.parse(documentText())
  return document
}

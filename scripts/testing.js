// @ts-check
// `forgelet/testing` of a checkout, however others come to it: as a dependency on a folder, by a link, or by this path.
// It is the built program, as `npm start` runs it. Test runners such as Vitest transform what is outside of node_modules,
// with all that it imports, which takes many seconds; what is required, they leave to Node.js.
import module from 'node:module'
import { join } from 'node:path'
import { problemOfNode } from './assert-node.js'
import { buildNow, isOurs } from './built.js'

const problem = problemOfNode()
if (problem !== undefined) throw new Error(`${problem}.`)

const build = buildNow()
if (build !== undefined && isOurs(build)) module.enableCompileCache(join(build, 'compiled'))

/** @type {typeof import('../src/testing.ts')} */
const testing =
  build === undefined
    ? await import('../src/testing.ts')
    : module.createRequire(import.meta.url)(join(build, 'testing.js'))

export const { startForgelet } = testing

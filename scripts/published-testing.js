// @ts-check
// `forgelet/testing` of the published package: dist/start-testing.js. Older versions of Node.js must understand it.
import { problemOfNode } from './assert-node.js'

const problem = problemOfNode()
if (problem !== undefined) throw new Error(`${problem}.`)
// Beside this file in the package, where it is the bundle.
const program = './testing.js'
export const { startForgelet } = await import(program)

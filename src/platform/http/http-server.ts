/**
 * Node's HTTP server. Not imported: an import reads all exports of a module, and one export of this module loads Node's
 * whole WebSocket client, 16 MB.
 */
export const { createServer } = process.getBuiltinModule('node:http')

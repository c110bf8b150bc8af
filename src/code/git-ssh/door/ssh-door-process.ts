// The process that speaks SSH for the server, so that no cipher takes the server's thread. It gets its settings as a message,
// and ends with the server.
import { Door } from './door.ts'
import { type DoorReport, type DoorSettings, isSettings } from './settings.ts'

const tell = (report: DoorReport): void => {
  if (process.connected) process.send?.(report, undefined, {}, () => {})
}

process.once('message', (settings: unknown) => {
  if (!isSettings(settings)) return
  open(settings).then(
    (port) => tell({ listening: port }),
    (error: unknown) => tell({ failed: String(error) }),
  )
})

async function open(settings: DoorSettings): Promise<number> {
  const door = new Door(settings)
  process.on('message', (message) => {
    if (message === 'close') door.close()
  })
  return door.listen()
}

process.on('disconnect', () => process.exit())
// These signals go to all processes of a service. The server decides when nobody comes in any more.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
// A client that sends what the library cannot read must not end the sessions of others.
process.on('uncaughtException', (error) => {
  process.stderr.write(`the SSH door: ${String(error)}\n`)
})

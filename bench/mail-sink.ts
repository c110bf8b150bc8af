import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'

// A mail server that accepts everything and counts it; says its port, and then the number once a second.

let received = 0
const server = new SMTPServer({
  disabledCommands: ['STARTTLS', 'AUTH'],
  disableReverseLookup: true,
  logger: false,
  onData: (stream, _, reply) => {
    stream.on('end', () => {
      received += 1
      reply()
    })
    stream.resume()
  },
})
server.listen(0, '127.0.0.1')
await once(server.server, 'listening')
const address = server.server.address()
const port = typeof address === 'object' && address !== null ? address.port : 0
process.stdout.write(`${JSON.stringify({ port })}\n`)
process.once('SIGTERM', () => {
  process.stderr.write(received === 0 ? 'the mail server received nothing\n' : '')
  process.exit(0)
})

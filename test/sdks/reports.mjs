// A program that reports to error tracking, in the ways in which programs fail: node reports.mjs DSN WAY
import * as Sentry from '@sentry/node'

const [, , dsn, way] = process.argv
Sentry.init({ dsn, release: 'shop@1.0.0', environment: 'test', tracesSampleRate: 1 })
Sentry.setUser({ id: 'u1', email: 'ada@example.org' })
Sentry.setTag('part', 'till')
Sentry.addBreadcrumb({ message: 'opened the till' })

function pay(order) {
  throw new TypeError(`order ${order} has no price`)
}

if (way === 'uncaught') setImmediate(() => pay(17))
else if (way === 'promise') void Promise.resolve().then(() => pay(18))
else {
  Sentry.startSpan({ name: 'a transaction' }, () => {})
  try {
    pay(19)
  } catch (error) {
    Sentry.captureException(new Error('the till is broken', { cause: error }), {
      attachments: [{ filename: 'till.txt', data: 'a\nb' }],
    })
  }
  Sentry.captureMessage('closed the till', 'warning')
  await Sentry.close(10_000)
}

// What a page of a shop has: it reports what nobody caught.
import * as Sentry from '@sentry/browser'

Sentry.init({ dsn: globalThis.dsn, release: 'shop@1.0.0', environment: 'test' })
globalThis.Sentry = Sentry
globalThis.pay = function pay(order) {
  throw new TypeError(`order ${order} has no price`)
}

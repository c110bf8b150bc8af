// What a page of a shop has: it reports what nobody caught.
import * as Sentry from '@sentry/browser'

declare global {
  interface Window {
    readonly dsn: string
    pay(order: number): void
    Sentry: typeof Sentry
  }
}

Sentry.init({ dsn: window.dsn, release: 'shop@1.0.0', environment: 'test' })
window.Sentry = Sentry
window.pay = function pay(order: number) {
  throw new TypeError(`order ${order} has no price`)
}

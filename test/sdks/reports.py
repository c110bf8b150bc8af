"""A program that reports to error tracking: reports.py DSN WAY"""
import sys
import threading

import sentry_sdk

dsn, way = sys.argv[1:3]
sentry_sdk.init(dsn=dsn, release='shop@1.0.0', environment='test', shutdown_timeout=10, traces_sample_rate=1.0)
sentry_sdk.set_user({'id': 'u1'})
sentry_sdk.set_tag('part', 'till')
# Source is shown, so it is not written there.
secret = ''.join(['ge', 'heim'])


def pay(order, password):
    raise ValueError(f'order {order} has no price')


if way == 'uncaught':
    pay(17, secret)
elif way == 'thread':
    thread = threading.Thread(target=pay, args=(18, secret))
    thread.start()
    thread.join()
else:
    try:
        try:
            pay(19, secret)
        except ValueError as error:
            raise RuntimeError('the till is broken') from error
    except RuntimeError:
        sentry_sdk.capture_exception()
    sentry_sdk.capture_message('closed the till', level='warning')
sentry_sdk.flush(timeout=10)

import { test } from 'vitest'
import { w } from '#test/world.ts'
import { expectLargeUpload } from './large-upload-test-support.ts'

// Other tests run at the same time, and this server has more to do than one thread can.
test('a gigabyte is published in constant memory', { timeout: 240_000 }, async () => {
  console.info(await expectLargeUpload(w, 1024 ** 3, 0.4))
})

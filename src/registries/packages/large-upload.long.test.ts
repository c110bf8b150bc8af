import { test } from 'vitest'
import { withSettings } from '#identity/users/test-support.ts'
import { w } from '#test/world.ts'
import { expectLargeUpload } from './large-upload-test-support.ts'

test(
  'ten gigabytes are published in constant memory, nearly as fast as they can be',
  { timeout: 900_000 },
  async () => {
    await withSettings({ generic_packages_max_file_size: 0 }, async () => {
      console.info(await expectLargeUpload(w, 10 * 1024 ** 3, 0.8))
    })
  },
)

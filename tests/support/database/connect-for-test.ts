import { onTestFinished } from 'vitest'
import {
  connectDatabase,
  type DatabaseConnection,
  type SessionOptions,
} from '../../../schema/database/connect.ts'

/** A process's connections of its own, the server's unless told otherwise, until the test has finished. */
export function connectForTest(
  connectionString: string,
  options: Partial<SessionOptions> = {},
): DatabaseConnection {
  const connection = connectDatabase({
    connectionString,
    role: 'tidemark_server',
    poolMax: 4,
    onError: () => undefined,
    ...options,
  })
  onTestFinished(() => connection.close())
  return connection
}

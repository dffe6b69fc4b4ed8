/** Loads the library, which costs 28 MB and 0.1 s. It is loaded only in processes that have a Redis configured. */
export const loadRedisLibrary = () => import('@redis/client');

/** The library that speaks to Redis, once it is loaded. */
export type RedisLibrary = Awaited<ReturnType<typeof loadRedisLibrary>>;

/** Creates a client that is not connected yet. `connectTimeoutMs` bounds each connect, in milliseconds. */
export const openRedisClient = ({ createClient }: RedisLibrary, url: string, connectTimeoutMs: number) =>
  createClient({
    url,
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: 'disabled',
    // Otherwise the library would start a timer for every command. Here pings find out whether answers are late.
    commandOptions: { timeout: 0 },
    // The library does not reconnect. A new connection knows nothing of the one before, so it is made by a new client.
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: false },
  });

/** The commands of one connection. Those under way reject when the connection is lost. */
export type RedisCommands = ReturnType<typeof openRedisClient>;

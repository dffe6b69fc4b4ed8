import { type FormEvent, useState } from 'react';
import type { SignInResponse } from '../../contracts/http/sign-in-api.ts';
import type { Failure } from '../http/request-failure.ts';
import { signIn } from '../http/sign-in-requests.ts';
import { Problem } from '../components/problem.tsx';

/** Asks for an API key. The key goes only to the gateway, which sets a cookie. The page does not store it. */
export const SignIn = ({ onSignedIn }: { onSignedIn: (who: SignInResponse) => void }) => {
  const [key, setKey] = useState('');
  const [failure, setFailure] = useState<Failure>();
  const send = async (): Promise<void> => {
    const result = await signIn(key.trim());
    setKey('');
    if (result.ok) onSignedIn(result.value);
    else setFailure(result.failure);
  };
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    void send();
  };
  return (
    <main className="sign-in">
      <form onSubmit={onSubmit}>
        <h1>Orion</h1>
        <label htmlFor="key">API key</label>
        <input
          id="key"
          type="password"
          autoComplete="off"
          autoFocus
          required
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
        {failure && <Problem failure={failure} />}
        <button type="submit" className="main">
          Sign in
        </button>
        <p className="fact">
          <code>orion keys new</code> creates one.
        </p>
      </form>
    </main>
  );
};

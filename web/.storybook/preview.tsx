import type { Preview } from "@storybook/react-vite";
import { Providers } from "../src/app/providers";
import { MemoryRouter } from "../src/shared/router";
import "../src/shared/theme.css";

const preview: Preview = {
  parameters: { layout: "padded", controls: { expanded: true } },
  decorators: [
    (Story) => (
      <Providers>
        <MemoryRouter>
          <Story />
        </MemoryRouter>
      </Providers>
    ),
  ],
};

export default preview;

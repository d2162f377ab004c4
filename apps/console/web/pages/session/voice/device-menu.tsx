import type { AudioDevice, BrowserRoom } from '@session/client/browser';
import { useRoom } from '@session/client/react';
import { ChevronUp } from 'lucide-react';
import { IconButton } from '../../../ui/button.tsx';
import { Menu, MenuGroup, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { toast } from '../../../ui/toast.tsx';

export function DeviceMenu({ room }: { readonly room: BrowserRoom }) {
  const { microphone, microphones, microphoneId, speakers, speakerId } = useRoom(room);
  const isUsed = microphone === 'on' || microphone === 'muted';
  return (
    <Menu
      trigger={
        <IconButton label="Choose microphone and speaker" className="h-9 w-6 rounded-full">
          <ChevronUp aria-hidden size={14} />
        </IconButton>
      }
    >
      <DeviceGroup
        label="Microphone"
        devices={microphones}
        chosen={microphoneId}
        onChoose={(id) => room.chooseMicrophone(id)}
      />
      {speakers.length > 0 && (
        <DeviceGroup
          label="Speaker"
          devices={speakers}
          chosen={speakerId}
          onChoose={(id) => room.chooseSpeaker(id)}
        />
      )}
      {isUsed && (
        <>
          <MenuSeparator />
          <MenuItem onSelect={() => void room.microphone.disable()}>
            Turn the microphone off
          </MenuItem>
        </>
      )}
    </Menu>
  );
}

interface DeviceGroupProps {
  readonly label: string;
  readonly devices: readonly AudioDevice[];
  readonly chosen: string | null;
  readonly onChoose: (id: string | null) => Promise<void>;
}

function DeviceGroup({ label, devices, chosen, onChoose }: DeviceGroupProps) {
  const choose = (id: string | null) => {
    onChoose(id).catch(() => toast('The browser did not switch to that device. Try another one.'));
  };
  // The browser does not name its devices until a microphone has been allowed.
  const named = devices.filter((device) => device.label !== '' && device.id !== 'default');
  return (
    <MenuGroup label={label}>
      <MenuItem isChecked={chosen === null} onSelect={() => choose(null)}>
        System default
      </MenuItem>
      {named.map((device) => (
        <MenuItem
          key={device.id}
          isChecked={chosen === device.id}
          onSelect={() => choose(device.id)}
        >
          {device.label}
        </MenuItem>
      ))}
    </MenuGroup>
  );
}
